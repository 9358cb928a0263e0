/** One call from its name to its end, told in the words that all formats share. */
import { ARGUMENTS_LOST, isLost } from '../arguments/lost.ts'
import type { IssueCode, JsonPath, Repair } from '../issue.ts'
import type { CallDraft, CallEnding, ReadContext } from '../protocol.ts'

/** The repairs of the arguments; those of the markup were collected on the way. */
export type Ending = Omit<CallEnding, 'repairs'> & Partial<Pick<CallEnding, 'repairs'>>

const NONE: readonly Repair[] = []

export class Call {
  declare readonly name: string
  /** Undefined for a tool that may not be called. */
  declare readonly draft: CallDraft | undefined
  /** Repairs of the markup; those of the arguments come with the ending. */
  readonly repairs: Repair[] = []
  readonly #context: ReadContext

  constructor(context: ReadContext, name: string, id?: string) {
    this.name = name
    this.draft = context.begin(name, id)
    this.#context = context
  }

  /** The call is complete. All that end a call return where, so that a step can end with them. */
  end(ending: Ending): number {
    // Field by field: a spread costs more than all else that is done here.
    const { json, value, repairs = NONE, end, raw, cut, streamed } = ending
    if (!this.draft) return this.fail('unknown-tool', `there is no tool named ${this.name}`, end)
    if (isLost(json, repairs) || (isEmpty(json) && this.repairs.some(mayHideArguments))) {
      return cut ? this.cutOff(end) : this.fail('invalid-arguments', ARGUMENTS_LOST, end)
    }
    const all = this.repairs.length > 0 ? [...repairs, ...this.repairs] : repairs
    this.draft.end({ json, value, repairs: all, end, raw, cut, streamed })
    return end
  }

  /** The call began but cannot be made. */
  fail(code: IssueCode, message: string, end: number): number {
    if (this.draft) this.draft.fail(code, message, end)
    else this.#context.issue(code, message, end, this.name || undefined)
    return end
  }

  /** The reply ends where the call could have gone on. */
  cutOff(end: number): number {
    return this.fail('truncated-call', ENDS_INSIDE, end)
  }
}

function isEmpty(json: string): boolean {
  return /^\{\s*\}$/.test(json)
}

/** What was dropped, or a tag that was damaged, may have been a parameter. */
function mayHideArguments({ code }: Repair): boolean {
  return code === 'dropped-text' || code === 'corrected-marker'
}

export const ENDS_INSIDE = 'the reply ends inside a call'

/** A complete call, or a part of one, lacks what closes it. */
export function missingCloser(after: string, path: JsonPath = []): Repair {
  return { code: 'missing-closer', path, risk: 'safe', after }
}

/** Something that stood between the parts of a call is no part of it. */
export function dropped(before: string): Repair {
  return { code: 'dropped-text', path: [], risk: 'guess', before }
}

/** A marker that lost a character was read as what it was meant to be. */
export function corrected(before: string): Repair {
  return { code: 'corrected-marker', path: [], risk: 'guess', before }
}
