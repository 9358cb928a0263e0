/** Commands that list the members of a registry, or show one of them. */
import { didYouMean } from '../core/nearest.ts'
import { COMMON_OPTIONS, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { type Terminal, table, wrap } from './terminal.ts'

interface Catalogue<Member extends { readonly id: string }>
  extends Pick<Command, 'name' | 'summary' | 'help'> {
  /** One of them, as in "no protocol is called". */
  readonly noun: string
  readonly members: readonly Member[]
  /** As JSON, in the list and alone. */
  summarize(member: Member): object
  detail(member: Member): object
  /** The columns of the list. */
  readonly head: readonly string[]
  row(member: Member): readonly string[]
  /** What the words in the list mean. */
  readonly legend: string
  show(member: Member, terminal: Terminal): void
}

const OPTIONS = { ...COMMON_OPTIONS, json: { type: 'boolean' } } as const

export function createCatalogueCommand<Member extends { readonly id: string }>(
  catalogue: Catalogue<Member>,
): Command {
  const { name, summary, help, members } = catalogue
  return {
    name,
    summary,
    help,
    options: OPTIONS,
    operands: members.map(({ id }) => id),
    async run(args, terminal) {
      const { values, positionals } = readArguments(args, OPTIONS)
      const [id, extra] = positionals
      if (extra !== undefined) throw new UsageError(`only one id at a time, but also got ${extra}`)
      const found = id === undefined ? undefined : find(id, catalogue)
      if (values.json) printJson(found, catalogue, terminal)
      else if (found) catalogue.show(found, terminal)
      else printList(catalogue, terminal)
      return EXIT_OK
    },
  }
}

function printJson<Member extends { readonly id: string }>(
  found: Member | undefined,
  { members, summarize, detail }: Catalogue<Member>,
  { print }: Terminal,
): void {
  print(JSON.stringify(found ? detail(found) : members.map(summarize), null, 2))
}

function printList<Member extends { readonly id: string }>(
  { members, head, row, legend }: Catalogue<Member>,
  { print, style, width }: Terminal,
): void {
  print(table([head, ...members.map(row)], width))
  print('')
  print(style.dim(wrap(legend, width, 0)))
}

function find<Member extends { readonly id: string }>(
  id: string,
  { name, noun, members }: Catalogue<Member>,
): Member {
  const found = members.find((member) => member.id === id)
  if (found) return found
  const ids = members.map((member) => member.id)
  throw new UsageError(
    `no ${noun} is called ${id}${didYouMean(id, ids)}; "toolglot ${name}" lists them all`,
  )
}
