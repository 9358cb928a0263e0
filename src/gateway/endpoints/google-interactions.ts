/** `POST /v1beta/interactions` */
import { googleInteractions } from '../../dialects/google-interactions.ts'
import { chatEndpoint, withOwnIds } from './chat-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { googleError, googleOverflow } from './google-error.ts'
import { interactionReferences } from './interaction-references.ts'

const usual: Endpoint = chatEndpoint(googleInteractions, {
  id: 'google-interactions',
  listedAt: 'GET /v1beta/models',
  path: /^\/v1(?:beta|alpha)?\/interactions$/,
  references: interactionReferences,
  // A provider does not know the interactions that are kept here, and its replies cannot be mended on the way.
  passes: () => false,
  writeError: googleError,
  overflowMessage: googleOverflow,
  complete: /interaction\.completed|"event_type"\s*:\s*"error"/,
})

export const googleInteractionsEndpoint: Endpoint = withOwnIds(usual, 'v1_')
