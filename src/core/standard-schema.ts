/**
 * Standard Schema, the interface that schema libraries share, as far as tools need it.
 *
 * @see https://standardschema.dev
 */

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    /** For the compiler only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** The schema as JSON Schema; not every library has it. */
    readonly jsonSchema?: StandardJsonSchema | undefined
  }
}

export interface StandardJsonSchema {
  input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** True for schemas of zod, valibot, arktype and their like; some of them are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = typeof value === 'function' || (typeof value === 'object' && value !== null)
  return isHolder && '~standard' in value
}
