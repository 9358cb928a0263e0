/** What a thrown value says: anything can be thrown, also what has no text and what throws when it is asked. */
export function thrownMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return ''
  }
}
