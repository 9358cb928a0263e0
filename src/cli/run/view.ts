/** What a run says and does, as people read it: the text on one stream, all else on the other. */
import type { AgentEvent, AgentResult } from '../../agent/index.ts'
import type { ToolResult } from '../../core/model.ts'
import { printable, type Terminal } from '../terminal.ts'

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export interface View {
  show(event: AgentEvent): void
  /** Asks; the answer comes from elsewhere. */
  ask(question: string): void
  end(result: AgentResult): void
}

export function createView(text: Output, log: Output, { style, width }: Terminal): View {
  let openLine: Output | undefined
  let saidSomething = false
  const forText = createFilter()
  const forReasoning = createFilter()

  function write(output: Output, piece: string, shown = piece): void {
    if (piece === '') return
    if (openLine !== output) endLine()
    output.write(shown)
    openLine = piece.endsWith('\n') ? undefined : output
  }

  function endLine(): void {
    openLine?.write('\n')
    openLine = undefined
  }

  function line(shown: string): void {
    endLine()
    log.write(`${shown}\n`)
  }

  function showReasoning(delta: string): void {
    const piece = forReasoning(delta)
    write(log, piece, style.reasoning(piece))
  }

  function show(event: AgentEvent): void {
    switch (event.type) {
      case 'run-start':
        return line(style.dim(`${event.isResumed ? 'resuming' : 'run'} ${printable(event.run)}`))
      case 'text-delta':
        saidSomething ||= event.text.trim() !== ''
        return write(text, forText(event.text))
      case 'reasoning-delta':
        return showReasoning(event.text)
      case 'tool-call': {
        const { name, arguments: args } = event.call
        return line(style.call(short(`→ ${name} ${JSON.stringify(args)}`, width)))
      }
      case 'tool-progress':
        if (typeof event.value !== 'string') return
        return line(style.dim(short(`  … ${event.value}`, width)))
      case 'tool-result':
        return line(resultLine(event.result))
      case 'issue':
      case 'call-abort':
        return line(style.issue(short(`! ${event.issue.message}`, width)))
      case 'escalated':
        return line(style.dim(`the model gets ${event.maxTokens} tokens to answer`))
      case 'compacted':
        return line(
          style.dim(`history shortened: ${event.tokensBefore} → ${event.tokensAfter} tokens`),
        )
    }
  }

  function resultLine({ content, isError, errorCode }: ToolResult): string {
    const said = typeof content === 'string' ? content : content.map(describePart).join(' ')
    if (!isError) return style.dim(short(`  ${said === '' ? '(nothing)' : said}`, width))
    return style.issue(short(`  ${errorCode ?? 'error'}: ${said}`, width))
  }

  return {
    show,
    ask(question) {
      endLine()
      log.write(style.bold(question))
      // On a terminal the person ends the line.
      if (!log.isTTY) openLine = log
    },
    end(result) {
      const { deliverable } = result
      if (typeof deliverable === 'string') write(text, printable(deliverable))
      // A run that was over before has nothing new to say.
      else if (!saidSomething && result.category === 'success') write(text, printable(result.text))
      endLine()
      line(style.dim(summaryOf(result)))
    },
  }
}

function describePart(part: Exclude<ToolResult['content'], string>[number]): string {
  return part.type === 'text' ? part.text : `[${part.mediaType ?? part.type}]`
}

function summaryOf({ steps, toolCalls, usage, durationMs }: AgentResult): string {
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = usage
  return [
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    `${toolCalls} ${toolCalls === 1 ? 'call' : 'calls'}`,
    `${totalTokens} tokens`,
    `${(durationMs / 1000).toFixed(1)} s`,
  ].join(', ')
}

/** On one line, which is not longer than the terminal is wide. */
function short(text: string, width: number): string {
  const margin = /^ */.exec(text)?.[0] ?? ''
  const line = margin + printable(text).trim().replace(/\s+/g, ' ')
  const characters = [...line.slice(0, width * 2)]
  if (characters.length <= width) return line
  return `${characters.slice(0, width - 1).join('')}…`
}

/**
 * Makes the pieces of a stream fit to be shown. The first half of a character or of a line end waits for
 * the second: alone it would be shown as something else.
 */
function createFilter(): (piece: string) => string {
  let half = ''
  return (piece) => {
    const all = half + piece
    half = /[\r\ud800-\udbff]$/.exec(all)?.[0] ?? ''
    return printable(half === '' ? all : all.slice(0, -1))
  }
}
