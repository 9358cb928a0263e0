/** What spans hang on, and how they end badly. */
import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanStatusCode,
} from '@opentelemetry/api'

/** Asked for each span anew. */
export interface Scope {
  parent(): Context
  /** What all spans of a run share. */
  attributes(): Attributes
}

/** Whatever is going on at the moment. */
export const ACTIVE_SCOPE: Scope = { parent: () => context.active(), attributes: () => ({}) }

/** The text is left out when contents are: it may quote them. */
export function markFailed(span: Span, type: string, message: string | undefined): void {
  span.setAttribute('error.type', type)
  span.setStatus({
    code: SpanStatusCode.ERROR,
    ...(message !== undefined && { message }),
  })
}
