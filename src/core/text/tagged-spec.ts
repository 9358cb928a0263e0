/** What a format with calls and parameters in tags says about itself. */
import type { Reading } from './parameters.ts'
import type { TagWords } from './tag.ts'
import type { Trim } from './trimmed.ts'

export interface TaggedCallSpec extends TagWords {
  /**
   * How the tag of a call looks that may stand without a section around it; `marked`: named, and in a
   * namespace that says enough.
   */
  readonly bare?: 'short' | 'named' | 'marked'
  readonly trim: Trim
  /** How a value is read of which neither the schema nor its tag tells the type. */
  readonly untyped?: Reading
  /** True when parameters may be tags named like them: declared ones, and any in a tag around them all. */
  readonly group?: boolean
  /** True when models, and servers with them, take values for XML, which has escapes. */
  readonly escaped?: boolean
  /** True when tags are tokens that nobody writes by hand: all of them count, other text does not. */
  readonly tokens?: boolean
}
