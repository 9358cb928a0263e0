/** The configuration file as a layer: what it says, and where each thing stands in it. */
import { readFile } from 'node:fs/promises'
import type { Environment } from '../../client/endpoint.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { locator } from '../../core/position.ts'
import { thrownMessage } from '../../core/thrown-message.ts'
import type { FoundFile } from './find-file.ts'
import { type JsonPlaces, readJsonFile } from './json-file.ts'
import type { Layer, Place } from './layer.ts'
import { readModuleFile } from './module-file.ts'
import { ConfigError, type Finding } from './problem.ts'
import { fillInVariables } from './variables.ts'

interface Reading {
  readonly value: JsonValue
  readonly findings: readonly Finding[]
  /** `:line:column`, or nothing. */
  position(place: Place): string
  order(place: Place): number
}

export async function readFileLayer(
  file: FoundFile,
  env: Environment,
  schema: JsonObject,
): Promise<Layer> {
  const isJson = /\.jsonc?$/i.test(file.path)
  const reading = isJson ? await readJson(file) : await readModule(file, env)
  const { value, findings, secrets, touched } = fillInVariables(reading.value, env, schema)
  if (!isJsonObject(value)) {
    const where = file.name + reading.position({ path: [] })
    throw new ConfigError([{ where, path: [], message: 'must be an object: { … }' }])
  }
  const { $schema: _forEditors, ...config } = value
  return {
    value: config,
    findings: [...reading.findings, ...findings],
    secrets,
    quiet: touched,
    source: () => file.name,
    where: (place) => file.name + reading.position(place),
    order: reading.order,
  }
}

async function readModule(file: FoundFile, env: Environment): Promise<Reading> {
  const { value, findings } = await readModuleFile(file, env)
  return { value, findings, position: () => '', order: () => 0 }
}

async function readJson(file: FoundFile): Promise<Reading> {
  const text = await readText(file)
  const locate = locator(text)
  const read = readJsonFile(text)
  if ('errorAt' in read) {
    const where = `${file.name}:${locate(read.errorAt)}`
    throw new ConfigError([{ where, path: [], message: 'not JSON from here on' }])
  }
  const { value, places } = read
  const order = (place: Place): number => offsetOf(place, places)
  return {
    value,
    findings: places.repeated.map((path) => ({
      path,
      message: 'is there twice; the last one would count',
      isAboutName: true,
    })),
    order,
    position: (place) => `:${locate(order(place))}`,
  }
}

/** Where the key or the value is; for what is missing, where it should have been. */
function offsetOf({ path, isAboutName = false }: Place, places: JsonPlaces): number {
  const key = isAboutName ? places.at(path, 'key') : undefined
  if (key !== undefined) return key
  for (let length = path.length; length > 0; length--) {
    const value = places.at(path.slice(0, length), 'value')
    if (value !== undefined) return value
  }
  return places.at([], 'value') ?? 0
}

async function readText({ path, name }: FoundFile): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const reason = thrownMessage(error)
    throw new ConfigError([{ where: name, path: [], message: `cannot be read: ${reason}` }])
  }
}

/** As it is, only to be compared. Undefined while it is not there. */
export async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}
