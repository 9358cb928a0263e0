/** The tools of an MCP server: an agent looks into a folder, and may not change it. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { runAgent } from 'toolglot/agent'
import { connectMcp } from 'toolglot/mcp'
import { model } from './model.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-files-')))
const path = join(folder, 'ferries.txt')
writeFileSync(path, 'Bodø – Moskenes: 06:00, 15:30\n')

const client = model([
  { calls: [{ name: 'files__list_directory', arguments: { path: folder } }] },
  { calls: [{ name: 'files__read_text_file', arguments: { path } }] },
  { text: 'The last ferry to Moskenes leaves at 15:30.' },
])

// From anywhere else: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', folder] }
const server = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
)
const mcp = await connectMcp({ files: { command: process.execPath, args: [server, folder] } })

const run = runAgent({
  client,
  tools: mcp.tools,
  permissions: { phase: 'plan' },
  prompt: `When does the last ferry leave? The timetable is in ${folder}.`,
})
for await (const event of run) {
  if (event.type === 'tool-result') console.log(`${event.call.name}: ${event.result.content}`)
}
console.log((await run.result).text)
await mcp.close()
rmSync(folder, { recursive: true })
