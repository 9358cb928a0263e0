/** Convert: a request, reply, stream, history or list of tools in two dialects, side by side. */
import { catalogue } from '../catalogue.ts'
import { Choice } from '../parts/choice.tsx'
import { IssueList } from '../parts/issue-list.tsx'
import { Pane } from '../parts/pane.tsx'
import { Switch } from '../parts/switch.tsx'
import type { Conversion } from '../work/conversion.ts'
import {
  asKind,
  conversion,
  from,
  isWhole,
  kind,
  source,
  swapSides,
  to,
  useConversionSample,
} from './convert-state.ts'

export function ConvertTab() {
  const answer = conversion.value
  return (
    <>
      <Controls />
      <div class="split is-even">
        <section class="panel" aria-label="Source">
          <header class="panel-head">
            <h2 class="panel-title">From</h2>
            <span class="chip" role="status" data-testid="detected">
              {answer ? whatItIs(answer) : 'nothing yet'}
            </span>
          </header>
          <textarea
            class="code tall"
            aria-label="What to convert"
            data-main-text
            spellcheck={false}
            placeholder="Paste a request, a reply, a stream, a list of messages or of tools"
            value={source.value ?? ''}
            onInput={({ currentTarget }) => {
              source.value = currentTarget.value
            }}
          />
        </section>
        <Result answer={answer} />
      </div>
      {answer && <Losses answer={answer} />}
    </>
  )
}

function Controls() {
  const { dialects, kinds } = catalogue.value
  return (
    <div class="controls">
      <Choice label="Sample" value="" onChoose={chooseSample}>
        <option value="">Choose one …</option>
        {dialects.map((dialect) => (
          <optgroup key={dialect} label={dialect}>
            {kinds.map((one) => (
              <option key={one} value={`${one} ${dialect}`}>
                {one} ({dialect})
              </option>
            ))}
          </optgroup>
        ))}
      </Choice>
      <Choice
        label="From"
        value={from.value}
        onChoose={(id) => {
          from.value = id
        }}
        options={dialects}
      >
        <option value="auto">auto-detect</option>
      </Choice>
      <button type="button" class="ghost icon swap" onClick={swapSides} aria-label="Swap the sides">
        <span aria-hidden="true">⇄</span>
      </button>
      <Choice
        label="To"
        value={to.value}
        onChoose={(id) => {
          to.value = id
        }}
        options={dialects}
      />
      <Choice
        label="Kind"
        value={kind.value}
        onChoose={(word) => {
          kind.value = asKind(word)
        }}
        options={kinds}
      >
        <option value="auto">auto-detect</option>
      </Choice>
      <Switch label="Stream as a whole reply" value={isWhole} />
    </div>
  )
}

function chooseSample(choice: string): void {
  const [word = '', dialect = ''] = choice.split(' ')
  const sampleKind = asKind(word)
  if (sampleKind !== 'auto') void useConversionSample(sampleKind, dialect)
}

function whatItIs({ kind: found, from: dialect }: Conversion): string {
  if (found === undefined) return 'not recognised'
  return dialect === undefined ? found : `${found}, ${dialect}`
}

function Result({ answer }: { readonly answer: Conversion | undefined }) {
  const note = answer?.isBinary && <span class="chip">binary on the wire, shown as events</span>
  return (
    <Pane
      title="To"
      class="is-tall"
      text={answer?.output ?? ''}
      empty={answer?.problem ?? 'Nothing yet'}
      note={note}
    />
  )
}

function Losses({ answer: { issues, problem } }: { readonly answer: Conversion }) {
  return (
    <section class="stack losses" aria-label="Lost or changed">
      <p class="panel-title" role="status" data-testid="losses">
        {problem === undefined && lossesOf(issues.length)}
      </p>
      <div class="cards">
        <IssueList issues={issues} />
      </div>
    </section>
  )
}

function lossesOf(count: number): string {
  return count === 0 ? 'Nothing was lost or changed' : `Lost or changed: ${count}`
}
