/** The official SDK, which is there only for those who use this entry. */
import { ToolglotError } from '../core/errors.ts'

const PACKAGE = '@modelcontextprotocol/sdk'

/** A module of the SDK; when it is not installed, an error that says how to install it. */
export async function loadSdk<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new ToolglotError(
      'missing_package',
      `toolglot/mcp needs the package ${PACKAGE}: npm install ${PACKAGE}`,
      { cause: error },
    )
  }
}

// Another module may be missing as well, of which the SDK knows more than we do.
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const isNotFound = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
  return isNotFound && error.message.includes(`'${PACKAGE}`)
}
