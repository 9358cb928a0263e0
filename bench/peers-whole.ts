/** Whole texts: how many times as fast are we as packages that do the same? */
import type { Effort } from './harness.ts'
import { compare, ratio } from './harness.ts'
import type { Input } from './inputs.ts'
import { TOOLS, WHOLE_INPUTS } from './inputs.ts'
import { Attempts } from './peers-attempt.ts'
import type { Standing } from './peers-standing.ts'
import { load } from './subject.ts'

const { extract } = await load<typeof import('../src/index.ts')>('../src/index.ts')
const { EXTRACTION_LIBRARIES, foundAll } = await load<typeof import('./extraction-libraries.ts')>(
  './extraction-libraries.ts',
)
const { floorExtract } = await load<typeof import('./floor.ts')>('./floor.ts')

const LIBRARIES = EXTRACTION_LIBRARIES.flatMap((library) => {
  const { whole } = library
  return whole ? [{ ...library, whole }] : []
})
const HERMES = { protocols: ['hermes'], tools: TOOLS } as const
const AUTO = { tools: TOOLS }

/** Milliseconds one text may take; packages that need longer are not raced. */
const PATIENCE = 1000

export async function peersWhole(effort: Effort): Promise<Standing[]> {
  const light = { ...effort, warmUpMs: effort.warmUpMs / 2 }
  const attempts = await Attempts.open()
  try {
    const standings: Standing[] = []
    for (const create of WHOLE_INPUTS) {
      const input = create()
      standings.push(await measure(input, await finishing(input, attempts), light))
    }
    return standings
  } finally {
    await attempts.close()
  }
}

async function finishing({ text }: Input, attempts: Attempts): Promise<typeof LIBRARIES> {
  const able: typeof LIBRARIES = []
  for (const library of LIBRARIES) {
    const task = { library: library.name, text, chunk: undefined }
    if ((await attempts.time(task, PATIENCE)) !== 'too slow') able.push(library)
  }
  return able
}

async function measure(
  { name, text }: Input,
  able: typeof LIBRARIES,
  effort: Effort,
): Promise<Standing> {
  const [pinned, auto, floor, ...timings] = await compare(
    [
      { name: 'pinned', run: () => extract(text, HERMES).calls.length },
      { name: 'auto', run: () => extract(text, AUTO).calls.length },
      { name: 'floor', run: () => floorExtract(text).length },
      ...able.map(({ name, whole }) => ({ name, run: () => whole(text).length })),
    ],
    effort,
  )
  return {
    name,
    size: text.length,
    ours: pinned.median,
    auto: ratio(auto, pinned),
    floor: ratio(floor, pinned),
    peers: LIBRARIES.map((library) => {
      const timing = timings[able.indexOf(library)]
      return {
        ...library,
        speed: timing ? ratio(timing, pinned) : (PATIENCE * 1e6) / pinned.median,
        right: timing && foundAll(library.whole(text), text),
      }
    }),
  }
}
