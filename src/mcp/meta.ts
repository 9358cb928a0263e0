/** What we tell another Toolglot beside a call and its result; others pass it by. */

/** On a call: the key that is the same for every attempt at it. */
export const CALL_KEY = 'toolglot/call-key'

/** On an error: its code. */
export const ERROR_CODE = 'toolglot/error-code'
