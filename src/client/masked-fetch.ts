/** A `fetch` whose answers hold no keys: not in the body, not in the headers, not in what it throws. */
import { replyMask } from './reply-mask.ts'
import type { SecretMask } from './secret-mask.ts'
import type { Secrets } from './secrets.ts'

export function maskedFetch(sender: typeof fetch, secrets: Secrets): typeof fetch {
  return async (...request) => {
    try {
      return maskedResponse(await sender(...request), secrets)
    } catch (error) {
      throw secrets.hideIn(error)
    }
  }
}

function maskedResponse({ status, ok, type, headers, body }: Response, secrets: Secrets): Response {
  const clean = maskedHeaders(headers, secrets)
  const mask = replyMask(clean.get('content-type') ?? undefined, secrets)
  // A real Response cannot have every status, and costs ten times as much. Our clients read these five fields.
  const response = {
    status,
    ok,
    type,
    headers: clean,
    body: body && maskedBody(body, mask, secrets),
  }
  return response as Partial<Response> as Response
}

function maskedHeaders(headers: Headers, secrets: Secrets): Headers {
  // Mostly there is nothing to hide, and to look once costs less than to look for each.
  const all = [...headers].flat().join('\n')
  if (secrets.hide(all) === all) return headers
  const clean = new Headers()
  for (const [name, value] of headers) {
    if (secrets.hide(name) === name) clean.append(name, secrets.hide(value))
  }
  return clean
}

type Body = Pick<ReadableStream<Uint8Array>, 'cancel'> & {
  getReader(): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel' | 'releaseLock'>
}
type Step = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>['read']>>

function maskedBody(body: Body, mask: SecretMask, secrets: Secrets): Response['body'] {
  function getReader(): ReturnType<Body['getReader']> {
    const reader = body.getReader()
    /** How it ended, once what was held back is given. */
    let ending: (() => Step) | undefined

    function finish(how: () => Step): Step {
      ending = how
      const value = mask.end()
      return value.length > 0 ? { done: false, value: value as Uint8Array<ArrayBuffer> } : how() // never shared memory
    }

    async function read(): Promise<Step> {
      if (ending) return ending()
      while (true) {
        const step = await reader.read().catch((error: unknown) => ({ error }))
        if ('error' in step) return finish(() => throwIt(secrets.hideIn(step.error)))
        if (step.done) return finish(() => ({ done: true, value: undefined }))
        const value = mask.push(step.value)
        if (value.length > 0) return { done: false, value: value as Uint8Array<ArrayBuffer> } // never shared memory
      }
    }

    return {
      read,
      cancel: (reason) => reader.cancel(reason),
      releaseLock: () => reader.releaseLock(),
    }
  }

  const masked: Body = { cancel: (reason) => body.cancel(reason), getReader }
  return masked as ReadableStream<Uint8Array<ArrayBuffer>> // what of it is read: see above
}

function throwIt(error: unknown): never {
  throw error
}
