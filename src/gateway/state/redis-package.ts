/** The package `redis`, which is there only for those who share state. */
import { ToolglotError } from '../../core/errors.ts'

const PACKAGE = 'redis'

export type RedisPackage = typeof import('redis')

/** When it is not installed, the error says how to install it. */
export async function loadRedis(
  load: () => Promise<RedisPackage> = () => import('redis'),
): Promise<RedisPackage> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new ToolglotError(
      'missing_package',
      `sharing state needs the package ${PACKAGE}: npm install ${PACKAGE}`,
      { cause: error },
    )
  }
}

// Another module may be missing as well, of which the package knows more than we do.
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const isNotFound = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
  return isNotFound && error.message.includes(`'${PACKAGE}'`)
}
