/** Extract: a reply on the left, what is in it on the right. */
import { useMemo } from 'preact/hooks'
import { locator } from '../../../src/core/position.ts'
import { catalogue } from '../catalogue.ts'
import { CallCard } from '../parts/call-card.tsx'
import { Choice } from '../parts/choice.tsx'
import { EventLog } from '../parts/event-log.tsx'
import { IssueList } from '../parts/issue-list.tsx'
import { JsonField } from '../parts/json-field.tsx'
import { MARKED_LENGTH, MarkedEditor } from '../parts/marked-editor.tsx'
import { Pane } from '../parts/pane.tsx'
import { Switch } from '../parts/switch.tsx'
import type { ReplyAnswer } from '../work/reply-reading.ts'
import {
  failure,
  isCut,
  marks,
  position,
  protocol,
  replayed,
  reply,
  shown,
  tools,
  useSample,
} from './extract-state.ts'
import { Replay } from './replay.tsx'

export function ExtractTab() {
  return (
    <div class="split">
      <div class="column">
        <Controls />
        <Source />
        <Replay />
        <JsonField
          title="Tools"
          hint="What the model may call, in any provider's spelling. Empty: any tool."
          value={tools.value ?? catalogue.value.tools}
          onInput={(text) => {
            tools.value = text
          }}
          problem={shown.value?.toolsProblem}
        />
      </div>
      <div class="column">
        <Findings />
      </div>
    </div>
  )
}

function Controls() {
  const { samples, protocols } = catalogue.value
  return (
    <div class="controls">
      <Choice label="Sample" value="" onChoose={chooseSample} class="is-wide">
        <option value="">Choose a reply …</option>
        <optgroup label="As models really write them">
          {samples.map(({ title }, at) => (
            <option key={title} value={`sample ${at}`}>
              {title}
            </option>
          ))}
        </optgroup>
        <optgroup label="One call in each format">
          {protocols.map(({ id, emitters }) => (
            <option key={id} value={id}>
              {id} ({emitters})
            </option>
          ))}
        </optgroup>
      </Choice>
      <Choice
        label="Protocol"
        value={protocol.value}
        onChoose={(id) => {
          protocol.value = id
        }}
        options={protocols.map(({ id }) => id)}
      >
        <option value="auto">auto-detect</option>
      </Choice>
      <Switch label="Cut off by the token limit" value={isCut} />
    </div>
  )
}

function chooseSample(choice: string): void {
  const { samples, protocols } = catalogue.peek()
  const sample = samples[Number(choice.replace('sample ', ''))]
  if (sample) useSample(sample)
  const format = protocols.find(({ id }) => id === choice)
  if (!format) return
  useSample({ reply: format.reply, isCut: false })
  if (!format.isAuto) protocol.value = format.id
}

function Source() {
  const text = reply.value ?? ''
  return (
    <section class="panel" aria-label="Reply">
      <header class="panel-head">
        <h2 class="panel-title">Reply</h2>
        <Legend />
      </header>
      <MarkedEditor
        label="Reply of the model"
        value={text}
        placeholder="Paste what a model wrote, or a provider's whole response in JSON"
        marks={marks.value}
        onInput={(value) => {
          reply.value = value
        }}
      />
      {text.length > MARKED_LENGTH && (
        <p class="hint">A text this long is read, but not coloured.</p>
      )}
    </section>
  )
}

function Legend() {
  return (
    <p class="legend">
      <span class="mark is-call">call</span>
      <span class="mark is-reasoning">reasoning</span>
      <span class="mark is-issue">issue</span>
      <span class="mark is-markup">dropped</span>
    </p>
  )
}

function Findings() {
  const answer = shown.value
  if (failure.value !== undefined) return <p class="empty is-issue">{failure.value}</p>
  if (!answer) return <p class="empty">Reading …</p>
  const { extraction } = answer
  const { calls, issues, text, reasoning } = extraction
  return (
    <>
      <Summary answer={answer} />
      <Calls answer={answer} />
      {issues.length > 0 && <Issues answer={answer} />}
      {replayed.value && position.value !== undefined && (
        <section class="panel" aria-label="Events">
          <header class="panel-head">
            <h3 class="panel-title">Events</h3>
            <span class="chip">{replayed.value.eventCount.toLocaleString('en')}</span>
          </header>
          <EventLog answer={replayed.value} />
        </section>
      )}
      <Pane title="Visible text" text={text} empty={calls.length > 0 ? 'Only calls' : 'None'} />
      {reasoning !== '' && <Pane title="Reasoning" text={reasoning} class="is-reasoning" />}
    </>
  )
}

function Summary({ answer }: { readonly answer: ReplyAnswer }) {
  const { extraction, isResponse, detections } = answer
  const { calls, issues, protocol: found } = extraction
  const repairs = calls.reduce((sum, call) => sum + (call.repairs?.length ?? 0), 0)
  return (
    <div class="summary">
      <p role="status" data-testid="summary">
        <strong>{counted(calls.length, 'call')}</strong>
        {found !== null && ` in ${found}`}
        {repairs > 0 && `, ${counted(repairs, 'repair')}`}
        {issues.length > 0 && `, ${counted(issues.length, 'issue')}`}
        {isResponse && ', in a whole response of a provider'}
      </p>
      {protocol.value === 'auto' && detections.length > 0 && (
        <ul class="detections">
          {detections.map(({ protocol: id, confidence, evidence }) => (
            <li key={id}>
              <code>{id}</code> {Math.round(confidence * 100)} %: <span>{evidence}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Calls({ answer }: { readonly answer: ReplyAnswer }) {
  const locate = useLocate(answer)
  return (
    <section class="stack" aria-label="Calls">
      {answer.extraction.calls.map((call, at) => (
        <CallCard key={call.id} call={call} label={`call ${at + 1}`} locate={locate} />
      ))}
    </section>
  )
}

function Issues({ answer }: { readonly answer: ReplyAnswer }) {
  const locate = useLocate(answer)
  return (
    <section class="stack" aria-label="Issues">
      <IssueList issues={answer.extraction.issues} locate={locate} />
    </section>
  )
}

/** Places in the reply; none in a response, whose text is inside JSON. */
function useLocate({ isResponse }: ReplyAnswer) {
  const text = reply.value ?? ''
  return useMemo(() => (isResponse ? undefined : locator(text)), [isResponse, text])
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'No' : count} ${noun}${count === 1 ? '' : 's'}`
}
