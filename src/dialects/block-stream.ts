/** Writing streams in which a reply is a list of blocks: what the dialects have in common. */
import type { ChatEvent, ChatResponse, StreamFailure } from '../core/chat.ts'
import type { Frame, StreamEncoder } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ToolCall } from '../core/model.ts'
import { callArgumentsText } from './history-call.ts'

export type Block =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning' }
  | {
      readonly kind: 'call'
      readonly id: string
      readonly name: string
      /** What goes back with the call. */
      readonly provider: JsonObject
    }
  /** A block that only this dialect has, whole. */
  | { readonly kind: 'own'; readonly block: JsonObject }

export type DeltaKind = 'text' | 'reasoning' | 'signature' | 'call'

/** The frames in which a dialect says what happens. */
export interface BlockFrames {
  readonly dialect: string
  start(id: string, model: string): Frame[]
  open(index: number, block: Block): Frame[]
  delta(index: number, kind: DeltaKind, piece: string): Frame[]
  /** A delta of a text that only this dialect has, such as where its words come from. */
  ownDelta(index: number, delta: JsonObject): Frame[]
  /** `call` is what the block was, when it was a call that can be made. */
  close(index: number, call?: ToolCall): Frame[]
  finish(response: ChatResponse): Frame[]
  fail(failure: StreamFailure): Frame[]
}

export function createBlockEncoder(dialect: BlockFrames): StreamEncoder {
  let frames: Frame[] = []
  let isStarted = false
  let blocks = 0
  /** What the last block is, while it is open and no call. */
  let prose: 'text' | 'reasoning' | undefined
  /** True when nothing was said in it yet. */
  let isFresh = false
  /** Readers put a line break between two blocks of text, so the second must not bring it. */
  let hasText = false
  /** White space that a block of text may begin with. */
  let blank = ''
  /** The calls that are open: where they are and whether their arguments have begun. */
  const calls = new Map<number, { readonly block: number; hasInput: boolean }>()

  function start(id = '', model = ''): void {
    if (!isStarted) frames.push(...dialect.start(id, model))
    isStarted = true
  }

  function open(block: Block): number {
    start()
    endProse()
    frames.push(...dialect.open(blocks, block))
    return blocks++
  }

  function endProse(): void {
    if (prose) frames.push(...dialect.close(blocks - 1))
    prose = undefined
  }

  function tell(kind: 'text' | 'reasoning', text: string): void {
    const isFirst = kind === 'text' && (prose !== 'text' || isFresh)
    const piece = isFirst ? firstPiece(text) : text
    if (piece === '') return
    openProse(kind)
    isFresh = false
    frames.push(...dialect.delta(blocks - 1, kind, piece))
  }

  function openProse(kind: 'text' | 'reasoning'): void {
    if (prose === kind) return
    open({ kind })
    prose = kind
    isFresh = true
  }

  /** Empty while there is nothing but white space: between calls it means nothing, and APIs refuse it. */
  function firstPiece(text: string): string {
    blank += text
    if (blank.trim() === '') return ''
    const piece = hasText && blank.startsWith('\n') ? blank.slice(1) : blank
    blank = ''
    hasText = true
    return piece
  }

  function argue(index: number, json: string): void {
    const call = calls.get(index)
    if (!call || json === '') return
    call.hasInput = true
    frames.push(...dialect.delta(call.block, 'call', json))
  }

  function endCall(index: number, whole?: ToolCall): void {
    const call = calls.get(index)
    if (!call) return
    const hasArguments = whole && Object.keys(whole.arguments).length > 0
    if (hasArguments && !call.hasInput) argue(index, callArgumentsText(whole))
    calls.delete(index)
    frames.push(...dialect.close(call.block, whole))
  }

  function tellOwn({ signature, block, delta, isNextText }: Partial<JsonObject> = {}): void {
    if (isNextText === true) endProse()
    if (isJsonObject(delta)) {
      openProse('text')
      frames.push(...dialect.ownDelta(blocks - 1, delta))
    }
    if (typeof signature === 'string') {
      openProse('reasoning')
      frames.push(...dialect.delta(blocks - 1, 'signature', signature))
      // Nothing follows a signature in its block.
      endProse()
    }
    if (isJsonObject(block)) frames.push(...dialect.close(open({ kind: 'own', block })))
  }

  function finish(response: ChatResponse): void {
    start(response.id, response.model)
    endProse()
    for (const index of [...calls.keys()]) endCall(index)
    frames.push(...dialect.finish(response))
  }

  function write(event: ChatEvent): void {
    if (event.type === 'start') start(event.id, event.model)
    else if (event.type === 'text-delta') tell('text', event.text)
    else if (event.type === 'reasoning-delta') tell('reasoning', event.text)
    else if (event.type === 'call-start') {
      const { index, id, name, provider = {} } = event
      calls.set(index, { block: open({ kind: 'call', id, name, provider }), hasInput: false })
    } else if (event.type === 'call-delta') argue(event.index, event.argumentsDelta)
    else if (event.type === 'call-end') endCall(event.index, event.call)
    else if (event.type === 'call-abort') endCall(event.index)
    else if (event.type === 'extra') tellOwn(event.extra[dialect.dialect])
    else if (event.type === 'finish') finish(event.response)
    else if (event.type === 'error') frames.push(...dialect.fail(event.error))
  }

  return {
    push(event) {
      write(event)
      const written = frames
      frames = []
      return written
    },
  }
}
