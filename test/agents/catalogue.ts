/** The agents that are tried, in versions that are known to install, and how each runs without a terminal. */
import type { PlanName } from './plans.ts'

/** A server that the user has configured in the agent. */
export interface McpCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** What a run depends on. */
export interface Occasion {
  readonly prompt: string
  readonly mcp?: McpCommand | undefined
}

export interface TestedAgent {
  readonly id: string
  /** Its name for `toolglot launch`. */
  readonly launch: string
  /** The first is the agent itself. */
  readonly packages: readonly string[]
  /** Its program, seen from the folder of the installation; the name it gets on PATH. */
  readonly program: readonly [name: string, path: string]
  readonly plans: readonly PlanName[]
  /** Arguments that make it work on a prompt and end. */
  readonly headless: (occasion: Occasion) => readonly string[]
  /** The user's own configuration, by paths in the home folder. */
  readonly files?: (occasion: Occasion) => Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

const { platform, arch } = process

const QUIET_CLAUDE = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
} as const

const CLAUDE_TOOLS = 'Read,Bash,Glob,Grep,Write,Edit,TaskCreate,ToolSearch,Agent,Task,mcp__tiny'

function claudeArgs({ prompt, mcp }: Occasion): string[] {
  const servers = mcp ? ['--mcp-config', JSON.stringify({ mcpServers: { tiny: mcp } })] : []
  const output = ['--output-format', 'json', '--verbose']
  return [
    '-p',
    prompt,
    '--allowedTools',
    CLAUDE_TOOLS,
    ...output,
    ...servers,
    '--strict-mcp-config',
  ]
}

function claude(id: string, version: string, rest: Partial<TestedAgent> = {}): TestedAgent {
  return {
    id,
    launch: 'claude',
    packages: [`@anthropic-ai/claude-code@${version}`],
    program: ['claude', `@anthropic-ai/claude-code-${platform}-${arch}/claude`],
    plans: ['work', 'mcp', 'subagent'],
    headless: claudeArgs,
    env: QUIET_CLAUDE,
    ...rest,
  }
}

function codexConfig({ mcp }: Occasion): string {
  const server = mcp
    ? `\n[mcp_servers.tiny]\ncommand = ${JSON.stringify(mcp.command)}\nargs = ${JSON.stringify(mcp.args)}\n`
    : ''
  return `check_for_update_on_startup = false\n\n[analytics]\nenabled = false\n${server}`
}

/** Settings of Gemini CLI, which Qwen Code has kept. */
function geminiSettings({ mcp }: Occasion): string {
  return JSON.stringify({
    general: { disableAutoUpdate: true, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ...(mcp && { mcpServers: { tiny: { ...mcp, trust: true } } }),
  })
}

function opencodeSettings({ mcp }: Occasion): string {
  const server = mcp && { type: 'local', command: [mcp.command, ...mcp.args], enabled: true }
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    ...(server && { mcp: { tiny: server } }),
  })
}

const QUIET_OPENCODE = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
} as const

export const TESTED: readonly TestedAgent[] = [
  claude('claude', '2.1.327'),
  claude('claude-deferred', '2.1.327', {
    plans: ['deferred'],
    env: { ...QUIET_CLAUDE, ENABLE_TOOL_SEARCH: 'true' },
  }),
  claude('claude-2.1.197', '2.1.197'),
  {
    id: 'codex',
    launch: 'codex',
    packages: ['@openai/codex@0.169.0'],
    program: ['codex', '.bin/codex'],
    plans: ['work', 'mcp', 'subagent'],
    headless: ({ prompt }) => [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
    files: (occasion) => ({ '.codex/config.toml': codexConfig(occasion) }),
  },
  {
    id: 'gemini',
    launch: 'gemini',
    packages: ['@google/gemini-cli@0.61.0'],
    program: ['gemini', '.bin/gemini'],
    plans: ['work', 'mcp'],
    headless: ({ prompt }) => ['-p', prompt, '--yolo', '--output-format', 'json'],
    files: (occasion) => ({ '.gemini/settings.json': geminiSettings(occasion) }),
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  },
  {
    id: 'qwen',
    launch: 'qwen',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    program: ['qwen', '.bin/qwen'],
    plans: ['work', 'mcp'],
    headless: ({ prompt }) => ['-p', prompt, '--yolo', '--output-format', 'json'],
    files: (occasion) => ({ '.qwen/settings.json': geminiSettings(occasion) }),
  },
  {
    id: 'opencode',
    launch: 'opencode',
    packages: ['opencode-ai@1.18.33'],
    program: ['opencode', `opencode-${platform}-${arch}/bin/opencode`],
    plans: ['work', 'mcp', 'subagent'],
    headless: ({ prompt }) => ['run', '--format', 'json', prompt],
    files: (occasion) => ({ '.config/opencode/opencode.json': opencodeSettings(occasion) }),
    env: QUIET_OPENCODE,
  },
  {
    id: 'kilo',
    launch: 'kilo',
    packages: ['@kilocode/cli@7.7.7', `@kilocode/cli-${platform}-${arch}@7.7.7`],
    program: ['kilo', `@kilocode/cli-${platform}-${arch}/bin/kilo`],
    plans: ['work', 'mcp'],
    headless: ({ prompt }) => ['run', '--auto', '--format', 'json', prompt],
    files: (occasion) => ({ '.config/kilo/kilo.json': opencodeSettings(occasion) }),
    env: { ...QUIET_OPENCODE, KILO_DISABLE_MODELS_FETCH: '1', KILO_TELEMETRY_LEVEL: 'off' },
  },
  {
    id: 'pi',
    launch: 'pi',
    packages: ['@earendil-works/pi-coding-agent@0.74.2'],
    program: ['pi', '.bin/pi'],
    plans: ['work'],
    headless: ({ prompt }) => ['--mode', 'json', '-p', prompt],
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
  },
  {
    id: 'cline',
    launch: 'cline',
    packages: ['cline@3.0.65'],
    program: ['cline', '.bin/cline'],
    plans: ['work'],
    headless: ({ prompt }) => ['--json', prompt],
    env: { CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1', DO_NOT_TRACK: '1' },
  },
  {
    id: 'continue',
    launch: 'continue',
    packages: ['@continuedev/cli@1.5.47'],
    program: ['cn', '.bin/cn'],
    plans: ['work'],
    headless: ({ prompt }) => ['-p', '--auto', prompt],
    env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_AUTO_UPDATED: '1' },
  },
  {
    id: 'copilot',
    launch: 'copilot',
    packages: ['@github/copilot@1.0.102'],
    program: ['copilot', '.bin/copilot'],
    plans: ['work', 'mcp'],
    headless: ({ prompt, mcp }) => [
      '-p',
      prompt,
      '--allow-all-tools',
      '--allow-all-paths',
      '--no-color',
      ...(mcp ? ['--additional-mcp-config', copilotServers(mcp)] : []),
    ],
    env: { COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
  },
  {
    id: 'grok',
    launch: 'grok',
    packages: ['@vibe-kit/grok-cli@0.0.34'],
    program: ['grok', '.bin/grok'],
    plans: ['work'],
    headless: ({ prompt }) => ['-p', prompt],
  },
  {
    id: 'letta',
    launch: 'letta',
    packages: ['@letta-ai/letta-code@0.25.9'],
    program: ['letta', '.bin/letta'],
    plans: ['work'],
    headless: ({ prompt }) => ['--new-agent', '--yolo', '--output-format', 'json', '-p', prompt],
    env: { DISABLE_AUTOUPDATER: '1', LETTA_TELEMETRY: '0', LETTA_CODE_TELEM: '0' },
  },
]

function copilotServers(mcp: McpCommand): string {
  return JSON.stringify({ mcpServers: { tiny: { type: 'local', ...mcp, tools: ['*'] } } })
}
