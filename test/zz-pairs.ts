import { readdirSync } from 'node:fs'
import { allProtocols } from '/work/main/src/protocols/registry.ts'
import { schemaFit } from '/work/main/src/core/schema/fit.ts'
import { extractText } from '/work/main/src/core/text/extractor.ts'
import { soupTools } from '/work/main/test/support/soup.ts'
const rows: { id: string; row: any }[] = []
for (const f of readdirSync('/work/main/test/fixtures/protocols')) { const m = await import('/work/main/test/fixtures/protocols/' + f); for (const row of m.cases) rows.push({ id: f.replace('.ts', ''), row }) }
const auto = allProtocols.filter(p => p.auto !== false)
const base = { ids: 'sequential', trace: true, fit: schemaFit, freeText: 'ending' } as const
const show = (r: any) => JSON.stringify({ calls: r.calls.map((c: any) => [c.name, c.arguments, c.protocol, c.span, c.repairs]), text: r.text, reasoning: r.reasoning, issues: r.issues })
const sets = new Map<string, any[]>()
const protos = (list: any[]) => { const k = list.map(p => p.id).join(); let s = sets.get(k); if (!s) sets.set(k, s = list); return s }
const pairs = new Map<string, { n: number; hard: number; ex: string }>()
let done = 0
for (const { id, row } of rows) {
  const own = allProtocols.find(p => p.id === id)!
  const options = { ...base, tools: row.tools ?? soupTools, ...row.options }
  const run = (list: any[]) => extractText(row.input, { ...options, protocols: protos(list) } as any)
  const able = auto.filter(p => { const r = run([p, p]); return r.calls.length > 0 || r.issues.length > 0 })
  for (let i = 0; i < able.length; i++) for (let j = i + 1; j < able.length; j++) {
    const [a, b] = [able[i]!, able[j]!]
    const x = run([a, b]), y = run([b, a])
    if (show(x) !== show(y)) {
      const soft = JSON.stringify([x.calls.map((c: any) => [c.name, c.arguments]), x.text, x.issues.length]) === JSON.stringify([y.calls.map((c: any) => [c.name, c.arguments]), y.text, y.issues.length])
      const k = a.id + ' < ' + b.id
      const e = pairs.get(k) ?? { n: 0, hard: 0, ex: row.input.slice(0, 60) }
      e.n++; if (!soft) { e.hard++; e.ex = row.input.slice(0, 80) }
      pairs.set(k, e)
    }
  }
  if (++done % 200 === 0) console.error(done, rows.length, pairs.size)
}
for (const [k, e] of [...pairs].sort((a, b) => b[1].n - a[1].n)) console.log(k, e.n, e.hard, JSON.stringify(e.ex))
