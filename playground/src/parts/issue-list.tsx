/** What was wrong, lost or changed. */
import { ISSUE_CODES, type Issue } from '../../../src/core/issue.ts'
import { CodeBlock } from './code-block.tsx'
import { Place, type PlaceProps } from './place.tsx'

interface IssueListProps {
  readonly issues: readonly Issue[]
  readonly locate?: PlaceProps['locate'] | undefined
}

export function IssueList({ issues, locate }: IssueListProps) {
  return (
    <>
      {issues.map((issue, at) => (
        <IssueCard
          key={`${issue.code} ${issue.span?.[0]} ${issue.message}`}
          issue={issue}
          label={`issue ${at + 1}`}
          locate={locate}
        />
      ))}
    </>
  )
}

interface IssueCardProps {
  readonly issue: Issue
  readonly label: string
  readonly locate: PlaceProps['locate'] | undefined
}

function IssueCard({ issue, label, locate }: IssueCardProps) {
  const { code, message, span, name, raw } = issue
  const meaning = ISSUE_CODES[code]
  return (
    <article class="card is-issue">
      <header class="card-head">
        <span class="badge">{label}</span>
        <h4 class="card-name">{code}</h4>
        {name !== undefined && <span class="chip">{name}</span>}
        {span && locate && <Place span={span} locate={locate} />}
      </header>
      <p class="card-text">{message || meaning}</p>
      {message !== '' && message !== meaning && <p class="card-text meaning">{meaning}</p>}
      {raw !== undefined && <CodeBlock text={raw.slice(0, RAW_LENGTH)} />}
    </article>
  )
}

const RAW_LENGTH = 400
