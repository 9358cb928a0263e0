/** Work that is worth doing only for what was asked last. */

/** Waits until nobody has asked anew for `pauseMs`; answers that come too late are dropped. */
export function latest<Question, Answer>(
  pauseMs: number,
  work: (question: Question) => Promise<Answer>,
  use: (answer: Answer) => void,
): (question: Question) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let next: { readonly question: Question } | undefined
  let isBusy = false

  async function run(): Promise<void> {
    if (isBusy || !next) return
    const { question } = next
    next = undefined
    isBusy = true
    try {
      const answer = await work(question)
      if (!next) use(answer)
    } finally {
      isBusy = false
      void run()
    }
  }

  return (question) => {
    next = { question }
    clearTimeout(timer)
    timer = setTimeout(run, pauseMs)
  }
}
