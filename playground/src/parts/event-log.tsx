/** The events of a replay, the newest first: that is where things happen. */
import type { ExtractEvent } from '../../../src/core/model.ts'
import type { ReplayAnswer, ReplayEvent } from '../work/replay.ts'

export function EventLog({ answer }: { readonly answer: ReplayAnswer }) {
  const { events, eventCount } = answer
  const earlier = eventCount - events.length
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ol class="events" reversed tabIndex={0}>
      {events.toReversed().map((one, at) => (
        <EventLine key={eventCount - at} {...one} />
      ))}
      {earlier > 0 && <li class="meaning">and {earlier.toLocaleString('en')} before</li>}
    </ol>
  )
}

function EventLine({ chunk, event }: ReplayEvent) {
  return (
    <li class={`event is-${event.type}`}>
      <span class="event-chunk" title="The chunk that brought it">
        {chunk}
      </span>
      <code class="event-type">{event.type}</code>
      <code class="event-text">{said(event)}</code>
    </li>
  )
}

function said(event: ExtractEvent): string {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return JSON.stringify(event.text)
    case 'call-start':
      return `${event.index + 1}: ${event.name} (${event.protocol})`
    case 'call-delta':
      return `${event.index + 1}: ${event.argumentsDelta}`
    case 'call-end':
      return `${event.index + 1}: ${event.call.name} ${JSON.stringify(event.call.arguments)}`
    case 'call-abort':
      return `${event.index + 1}: ${event.issue.code}`
    case 'issue':
      return `${event.issue.code}: ${event.issue.message}`
  }
}
