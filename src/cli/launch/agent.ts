/** The contract of an agent that `toolglot launch` can start: a value with the settings that point it at a gateway. */

import type { Environment } from '../../client/endpoint.ts'

/** Where an agent is to send its requests. */
export interface Target {
  /** The gateway, without a slash at the end. */
  readonly url: string
  /** Undefined: the gateway asks for none. */
  readonly key?: string | undefined
  readonly model: string
  /** In tokens, where the gateway knows it. */
  readonly contextLength?: number | undefined
}

/** Settings for one process of the agent. They end with the process. */
export interface Setup {
  /** Variables; null takes away one that the user has set. */
  readonly env: Readonly<Record<string, string | null>>
  /** Variables that the user's own environment may decide otherwise. */
  readonly preferences?: Readonly<Record<string, string>>
  /** Arguments before those of the user. */
  readonly args?: readonly string[]
  /** Files of a temporary folder, by their paths in it. */
  readonly files?: Readonly<Record<string, SetupFile>>
  /**
   * Folders of the user, by their paths in the temporary folder. Their entries are linked there, except for those that
   * `files` replaces.
   */
  readonly links?: Readonly<Record<string, string>>
}

export interface SetupFile {
  readonly text: string
  /** A JSON file of the user that this one replaces, and whose other settings it keeps. */
  readonly over?: string | undefined
}

/** The same settings as lasting configuration, for the documents. */
export interface Manual {
  /** Files to write, each at its place in the home folder. */
  readonly files?: readonly ManualFile[]
  readonly env?: Readonly<Record<string, string>>
  /** Commands to type afterwards. The last one starts the agent. */
  readonly commands: readonly (readonly string[])[]
}

export interface ManualFile {
  /** Beginning with `~/`. */
  readonly path: string
  readonly language: 'json' | 'toml' | 'yaml'
  readonly text: string
}

/** The machine on which the agent will run. */
export interface Machine {
  /** Where the files of the setup will be. */
  readonly folder: string
  /** The home folder of the user. */
  readonly home: string
  readonly env: Environment
}

export interface Agent {
  readonly id: string
  /** Product name, for messages and documents. */
  readonly name: string
  /** Names of its program on PATH, in order of preference. */
  readonly programs: readonly string[]
  /** The command that installs it. */
  readonly install: string
  /** The API in which it asks the gateway. */
  readonly api: string
  setup(target: Target, machine: Machine): Setup
  manual(target: Target): Manual
}

/** Text for programs that insist on a key where the gateway asks for none. */
const NO_KEY = 'none'

export function keyOf({ key }: Target): string {
  return key ?? NO_KEY
}

export function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
