/** What YAML is read into, before anything says what its plain words mean. */

export type YamlNode =
  /** Without quotes: a number, a word, nothing at all. */
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly YamlNode[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, YamlNode])[] }

export const NOTHING: YamlNode = { kind: 'plain', text: '' }

/** Deeper nesting is no YAML that anybody means. */
export const MAX_DEPTH = 256
