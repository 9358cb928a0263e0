/** Completion, asked of the shells themselves. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allDialects } from '../dialects/registry.ts'
import { allProtocols } from '../protocols/registry.ts'
import { allProviders } from '../providers/registry.ts'
import { COMMANDS } from './commands.ts'
import { createTerminal } from './terminal.ts'

const NAMES = COMMANDS.map(({ name }) => name)
const PROTOCOLS = allProtocols.map(({ id }) => id)
const PROVIDERS = allProviders.map(({ id }) => id)
const DIALECTS = allDialects.map(({ id }) => id)

let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-completion-'))
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(join(folder, shell), await scriptFor(shell))
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What can be typed, and some of what must be offered; `missing` must not. */
const CASES: readonly { typed: string; offered: readonly string[]; missing?: string }[] = [
  { typed: 'toolglot ', offered: NAMES },
  { typed: 'toolglot ser', offered: ['serve'], missing: 'run' },
  { typed: 'toolglot serve --lo', offered: ['--log-level', '--log-payloads'], missing: '--port' },
  { typed: 'toolglot serve --log-level w', offered: ['warn'], missing: 'error' },
  { typed: 'toolglot protocols ', offered: PROTOCOLS },
  { typed: 'toolglot extract reply.txt --protocol h', offered: ['hermes', 'harmony'] },
  { typed: 'toolglot launch co', offered: ['codex', 'copilot', 'continue'], missing: 'claude' },
  { typed: 'toolglot providers ', offered: PROVIDERS },
  { typed: 'toolglot run --model ol', offered: ['ollama/'] },
  { typed: 'toolglot convert --to ', offered: DIALECTS },
  { typed: 'toolglot convert --kind re', offered: ['request', 'response'], missing: 'tools' },
  { typed: 'toolglot completion ', offered: ['bash', 'zsh', 'fish'] },
]

describe.skipIf(!isInstalled('bash'))('bash', () => {
  test('takes the script', () => {
    const script = 'source "$1"; complete -p toolglot'
    expect(bash(script)).toBe('complete -F _toolglot toolglot\n')
  })

  test.for(CASES)('$typed', ({ typed, offered, missing }) => {
    const found = complete(typed.split(' '))
    expect(found).toEqual(expect.arrayContaining([...offered]))
    if (missing !== undefined) expect(found).not.toContain(missing)
  })

  test('--option=value', () => {
    expect(complete(['toolglot', 'convert', '--to', '=', 'ge'])).toEqual(['gemini'])
    expect(complete(['toolglot', 'convert', '--to', '='])).toEqual(DIALECTS)
  })

  test('offers nothing of ours where any text may stand', () => {
    expect(complete(['toolglot', 'serve', '--host', ''])).toEqual([])
  })

  function complete(words: readonly string[]): string[] {
    const script = `source "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _toolglot; printf '%s\\n' "\${COMPREPLY[@]}"`
    return bash(script, words).split('\n').filter(Boolean)
  }

  function bash(script: string, args: readonly string[] = []): string {
    return execFileSync('bash', ['-c', script, 'bash', join(folder, 'bash'), ...args], UTF8)
  }
})

describe.skipIf(!isInstalled('zsh'))('zsh', () => {
  test('takes the script', () => {
    execFileSync('zsh', ['-n', join(folder, 'zsh')])
    const script = 'autoload -U compinit; compinit -D -u; source "$1"; print $_comps[toolglot]'
    expect(execFileSync('zsh', ['-f', '-c', script, 'zsh', join(folder, 'zsh')], UTF8)).toBe(
      '_toolglot\n',
    )
  })

  test('hands the values of an option to the completion of arguments', () => {
    const script = `compdef() { : }; _arguments() { printf '%s\\n' "$@" }
      source "$1"; words=(toolglot convert --to ''); CURRENT=4; _toolglot`
    const specs = execFileSync('zsh', ['-f', '-c', script, 'zsh', join(folder, 'zsh')], UTF8)
    expect(specs).toContain(`*--to=:value:(${DIALECTS.join(' ')})\n`)
    expect(specs).toContain('*:argument:_files\n')
  })
})

describe.skipIf(!isInstalled('fish'))('fish', () => {
  test.for(CASES)('$typed', ({ typed, offered, missing }) => {
    const script = `source ${join(folder, 'fish')}; complete -C '${typed}'`
    const output = execFileSync('fish', ['--no-config', '-c', script], {
      ...UTF8,
      env: { ...process.env, HOME: folder },
    })
    const found = output.split('\n').map((line) => line.split('\t')[0])
    expect(found).toEqual(expect.arrayContaining([...offered]))
    if (missing !== undefined) expect(found).not.toContain(missing)
  })
})

test('every script knows every option of every command', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await scriptFor(shell)
    const options = COMMANDS.flatMap((command) => Object.keys(command.options))
    const written = shell === 'fish' ? '-l ' : '--'
    expect(options.filter((name) => !script.includes(`${written}${name}`))).toEqual([])
  }
})

const UTF8 = { encoding: 'utf8' } as const

async function scriptFor(shell: string): Promise<string> {
  let text = ''
  const write = (piece: string): void => {
    text += piece
  }
  const command = COMMANDS.find(({ name }) => name === 'completion')
  await command?.run([shell], createTerminal({ write }, {}, true))
  return text
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0
}
