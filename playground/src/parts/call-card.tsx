/** A call: which tool, with what, and how it was read. */
import { REPAIR_CODES, type Repair } from '../../../src/core/issue.ts'
import type { ToolCall } from '../../../src/core/model.ts'
import { formatPath } from '../../../src/core/schema/outcome.ts'
import { CodeBlock } from './code-block.tsx'
import { Place, type PlaceProps } from './place.tsx'

interface CallCardProps {
  readonly call: ToolCall
  /** What the marks in the reply call it. */
  readonly label: string
  readonly locate?: PlaceProps['locate'] | undefined
}

export function CallCard({ call, label, locate }: CallCardProps) {
  const { name, id, protocol, origin, span, repairs = [] } = call
  return (
    <article class="card is-call">
      <header class="card-head">
        <span class="badge">{label}</span>
        <h4 class="card-name">{name}</h4>
        <span class="chip">{protocol ?? origin}</span>
        {span && locate && <Place span={span} locate={locate} />}
        <span class="card-id">{id}</span>
      </header>
      <CodeBlock text={JSON.stringify(call.arguments, null, 2)} />
      {repairs.length > 0 && <Repairs repairs={repairs} />}
    </article>
  )
}

function Repairs({ repairs }: { readonly repairs: readonly Repair[] }) {
  return (
    <div class="repairs">
      <h5 class="card-subtitle">Repaired</h5>
      <ul>
        {groupsOf(repairs).map((group) => (
          <RepairGroup key={`${group[0].code} ${group[0].risk}`} group={group} />
        ))}
      </ul>
    </div>
  )
}

type Group = readonly [Repair, ...Repair[]]

function RepairGroup({ group }: { readonly group: Group }) {
  const [{ code, risk }] = group
  const places = [...new Set(group.filter(({ path }) => path.length > 0).map(placeOf))]
  const changes = [...new Set(group.map(changeOf))].filter((change) => change !== '')
  return (
    <li>
      <p>
        <code class="repair-code">{code}</code>
        {group.length > 1 && ` ×${group.length}`}
        {risk === 'guess' && <span class="chip is-guess">guess</span>}
        <span class="meaning"> {REPAIR_CODES[code]}</span>
      </p>
      {(places.length > 0 || changes.length > 0) && (
        <p class="change">
          <code>{changes.slice(0, SHOWN_CHANGES).join('   ')}</code>
          {places.length > 0 && <code class="meaning">{places.join(', ')}</code>}
        </p>
      )}
    </li>
  )
}

/** Of one kind; the first few say it all. */
const SHOWN_CHANGES = 3

// A model that writes single quotes writes many of them.
function groupsOf(repairs: readonly Repair[]): Group[] {
  const groups = new Map<string, [Repair, ...Repair[]]>()
  for (const repair of repairs) {
    const key = `${repair.code} ${repair.risk}`
    const group = groups.get(key)
    if (group) group.push(repair)
    else groups.set(key, [repair])
  }
  return [...groups.values()]
}

function placeOf({ path }: Repair): string {
  return formatPath(path)
}

function changeOf({ before, after }: Repair): string {
  if (before === undefined && after === undefined) return ''
  return `${excerpt(before)} → ${excerpt(after)}`
}

const EXCERPT_LENGTH = 60

function excerpt(text = ''): string {
  if (text === '') return '(nothing)'
  const line = text.replaceAll('\n', '⏎')
  return line.length <= EXCERPT_LENGTH ? line : `${line.slice(0, EXCERPT_LENGTH)}…`
}
