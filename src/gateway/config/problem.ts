/** What is wrong with a configuration, and where. */
import { ToolglotError } from '../../core/errors.ts'
import type { JsonPath } from '../../core/issue.ts'
import { formatPath } from '../../core/schema/outcome.ts'

/** Something that does not hold for the value at a path; the path may lead to what is missing. */
export interface Finding {
  readonly path: JsonPath
  readonly message: string
  /** It is the name that is wrong, not the value. */
  readonly isAboutName?: boolean
}

export interface ConfigProblem extends Finding {
  /** File, line and column, or the variable or option that said it. */
  readonly where: string
}

/** A configuration cannot be used; `problems` has all that is wrong with it. */
export class ConfigError extends ToolglotError {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super('invalid_config', problems.map(describeProblem).join('\n'))
    this.problems = problems
  }
}

/** `toolglot.config.json:12:7: models.fast.chain[0]: there is no provider "opnai"` */
function describeProblem({ where, path, message }: ConfigProblem): string {
  const parts = [where, ...(path.length === 0 ? [] : [showPath(path)]), message]
  return parts.join(': ')
}

export function showPath(path: JsonPath): string {
  return formatPath(path).replace(/^\$\.?/, '')
}

/** The same text for equal paths, and for no others. */
export function pathKey(path: JsonPath): string {
  return JSON.stringify(path.map(String))
}
