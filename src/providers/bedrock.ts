/** Amazon Bedrock, through Converse: with the signature of AWS, or with a key of its own. */
import { NATIVE } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const bedrock: Provider<'bedrock'> = {
  id: 'bedrock',
  name: 'AWS Bedrock',
  aliases: ['aws', 'amazon-bedrock', 'bedrock-converse', 'converse'],
  dialect: 'bedrock',
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  paths: { chat: '/model/{model}/converse', stream: '/model/{model}/converse-stream' },
  auth: [{ scheme: 'bearer' }, { scheme: 'sigv4', service: 'bedrock' }],
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  settings: {
    region: {
      about: 'the region',
      variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      default: 'us-east-1',
    },
    accessKeyId: {
      about: 'the id of the access key',
      variables: ['AWS_ACCESS_KEY_ID'],
      optional: true,
    },
    secretAccessKey: {
      about: 'the secret of the access key',
      variables: ['AWS_SECRET_ACCESS_KEY'],
      secret: true,
      optional: true,
    },
    sessionToken: {
      about: 'the token of a session',
      variables: ['AWS_SESSION_TOKEN'],
      secret: true,
      optional: true,
    },
  },
  capabilities: { ...NATIVE, nativeTools: 'per-model' },
  docs: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
}
