/** StackSpot: an agent that takes one text and answers with one. Tools go into that text. */
import type { Provider } from './provider.ts'
import { stackspotDialect } from './stackspot-dialect.ts'

export const stackspot: Provider<'stackspot'> = {
  id: 'stackspot',
  name: 'StackSpot AI',
  dialect: stackspotDialect,
  baseUrl: 'https://genai-inference-app.stackspot.com',
  // The model is the id of an agent.
  paths: { chat: '/v1/agent/{model}/chat' },
  auth: [
    {
      scheme: 'client-credentials',
      tokenUrl: 'https://idm.stackspot.com/{realm}/oidc/oauth/token',
    },
  ],
  keyVariables: [],
  settings: {
    realm: { about: 'the realm of the account', variables: ['STACKSPOT_REALM'] },
    clientId: { about: 'the id of the client', variables: ['STACKSPOT_CLIENT_ID'] },
    clientSecret: {
      about: 'the key of the client',
      variables: ['STACKSPOT_CLIENT_KEY', 'STACKSPOT_CLIENT_SECRET'],
      secret: true,
    },
  },
  capabilities: { nativeTools: false, streamsTools: false, streams: false },
  docs: 'https://ai.stackspot.com/docs',
}
