/** Code in a card. When it is long it scrolls, and can then be reached by keyboard. */

export function CodeBlock({ text }: { readonly text: string }) {
  return (
    <pre class="code card-code" {...(isLong(text) && { tabIndex: 0 })}>
      {text}
    </pre>
  )
}

/** More than fits, on a narrow screen. */
const LINES = 12
const CHARACTERS = 500

function isLong(text: string): boolean {
  return text.length > CHARACTERS || text.split('\n').length > LINES
}
