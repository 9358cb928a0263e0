/** What the conventions call providers, where that is not our id. */
const NAMES: Readonly<Record<string, string>> = {
  'azure-openai': 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

export function providerName(id: string): string {
  return NAMES[id] ?? id
}
