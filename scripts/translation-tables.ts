/** Tables about translation: where each dialect has each setting, and the budgets of efforts. */
import type { Setting } from '../src/core/dialect.ts'
import { EFFORT_BUDGETS, effortOfBudget } from '../src/dialects/reasoning.ts'
import { allDialects } from '../src/dialects/registry.ts'

const ABOUT: Readonly<Record<Setting, string>> = {
  maxTokens: 'most tokens of a reply',
  temperature: '',
  topP: '',
  topK: '',
  minP: '',
  seed: '',
  presencePenalty: '',
  frequencyPenalty: '',
  repetitionPenalty: '',
  n: 'number of replies',
  stop: 'texts that end the reply',
  reasoning: 'see below',
  verbosity: '',
  parallelToolCalls: '',
  store: '',
  user: '',
  metadata: '',
  serviceTier: '',
}

/** A section for each setting would hide what the table shows: who has it and who does not. */
export function settingTable(): string {
  const rows = (Object.keys(ABOUT) as Setting[]).map((setting) => {
    const about = ABOUT[setting] && `: ${ABOUT[setting]}`
    const places = allDialects.map(({ settings }) => {
      const place = settings[setting]
      return place === undefined ? '–' : `\`${place}\``
    })
    return `| \`${setting}\`${about} | ${places.join(' | ')} |`
  })
  const head = ['setting', ...allDialects.map(({ id }) => id)]
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
}

export function budgetTable(): string {
  const rows = Object.entries(EFFORT_BUDGETS).map(
    ([effort, tokens]) =>
      `| \`${effort}\` | ${tokens.toLocaleString('en')} | \`${effortOfBudget(tokens)}\` |`,
  )
  return [
    '| effort | as a budget, in tokens | such a budget as an effort |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}
