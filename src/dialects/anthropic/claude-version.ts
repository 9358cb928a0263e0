/** What a request may say depends on the model's version in a few places. */

const VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/

/** The version in a model's name as a number that can be compared, 4.06 for 4.6; 0 for others. */
export function claudeVersion(model: string): number {
  const [, major = '0', minor = '0'] = VERSION.exec(model) ?? []
  return Number(major) + Number(minor) / 100
}

/** Most tokens of a reply when the request does not say: the API insists on a number. */
export function defaultMaxTokens(model: string): number {
  const version = claudeVersion(model)
  if (version >= 4) return 16_384
  return version > 0 && version < 3.05 ? 4096 : 8192
}

/** True for models that take system messages between the others, behind a user's turn. */
export function takesSystemLater(model: string): boolean {
  return claudeVersion(model) >= 4.08
}

/** True for models that refuse a temperature other than 1 and a `top_p` below 0.99. */
export function hasFixedSampling(model: string): boolean {
  return claudeVersion(model) > 4.06
}

/** True for Anthropic's own models, under the name of any service. */
export function isClaude(model: string): boolean {
  return claudeVersion(model) > 0
}
