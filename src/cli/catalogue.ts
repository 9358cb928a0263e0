/** Commands that list the members of a registry, or show one of them. */
import { createNameTable, type Named } from '../core/name-table.ts'
import { hintAt } from '../core/nearest.ts'
import { COMMON_OPTIONS, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { type Terminal, table, wrap } from './terminal.ts'

interface Catalogue<Member extends Named> extends Pick<Command, 'name' | 'summary' | 'help'> {
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

export function createCatalogueCommand<Member extends Named>(
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

function printJson<Member extends Named>(
  found: Member | undefined,
  { members, summarize, detail }: Catalogue<Member>,
  { print }: Terminal,
): void {
  print(JSON.stringify(found ? detail(found) : members.map(summarize), null, 2))
}

function printList<Member extends Named>(
  { members, head, row, legend }: Catalogue<Member>,
  { print, style, width }: Terminal,
): void {
  print(table([head, ...members.map(row)], width))
  print('')
  print(style.dim(wrap(legend, width, 0)))
}

function find<Member extends Named>(
  written: string,
  { name, noun, members }: Catalogue<Member>,
): Member {
  const names = createNameTable(members)
  const found = names.find(written)
  if (found) return found
  const hint = hintAt(names.nearest(written))
  throw new UsageError(`no ${noun} is called ${written}${hint}; "toolglot ${name}" lists them all`)
}
