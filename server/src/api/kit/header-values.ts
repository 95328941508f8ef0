import type { IncomingMessage } from 'node:http'

/** Each value of a header as it was sent. Node joins repeated headers, or keeps the first. */
export const headerValues = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
