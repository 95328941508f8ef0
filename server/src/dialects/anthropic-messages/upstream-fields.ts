import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'

export { allowOnly, isEmpty, UntranslatableField } from '../untranslatable.ts'

/** A block of an Anthropic message, or a tool. */
export type Block = Readonly<Record<string, unknown>>

/** `cache_control` as the client wrote it. */
export const cacheControl = ({ cache_control }: Fields): Block => (isObject(cache_control) ? { cache_control } : {})
