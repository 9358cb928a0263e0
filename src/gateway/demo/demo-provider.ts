/**
 * The service behind `demo/…`: inside the gateway, so that there is always something to try. It says that it
 * takes tools, and then leaves its calls in the text, as many servers do.
 */
import { chatService } from '../../providers/chat-service.ts'
import type { Provider } from '../../providers/provider.ts'

export const demoProvider: Provider<'demo'> = {
  id: 'demo',
  name: 'Demo',
  // No host has this name: what does not go through `createDemoSend` goes nowhere.
  ...chatService('http://demo.invalid/v1'),
  keyOptional: true,
  docs: 'https://platform.openai.com/docs/api-reference/chat',
}
