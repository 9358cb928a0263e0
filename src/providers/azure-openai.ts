/** OpenAI's models in Microsoft's cloud. The model is the name of the deployment. */
import { usualApis } from './apis.ts'
import { chatService, OPENAI_CHAT } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const azureOpenai: Provider<'azure-openai'> = {
  id: 'azure-openai',
  name: 'Azure OpenAI',
  aliases: ['azure', 'azure-ai', 'azure-foundry'],
  ...chatService(
    'https://{resource}.openai.azure.com/openai/v1',
    'AZURE_OPENAI_API_KEY',
    'AZURE_API_KEY',
  ),
  auth: [{ scheme: 'header', header: 'api-key' }],
  capabilities: OPENAI_CHAT,
  settings: {
    resource: {
      about: 'the name of the resource',
      variables: ['AZURE_OPENAI_RESOURCE', 'AZURE_RESOURCE_NAME'],
    },
  },
  apis: usualApis(
    'openai-embeddings',
    'openai-completions',
    'openai-speech',
    'openai-transcriptions',
    'openai-translations',
    'openai-images',
    'openai-image-edits',
  ),
  docs: 'https://learn.microsoft.com/azure/ai-foundry/openai/reference',
}
