import { Transform } from 'node:stream'

const NOTIFICATION = 'A'.charCodeAt(0)
/** Type and length of a message. */
const HEAD_BYTES = 5

/** Removes notifications from the messages of a PostgreSQL server while `isActive`, without any other trace. */
export function notificationFilter(isActive: () => boolean): Transform {
  let rest: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= HEAD_BYTES) {
        const length = 1 + rest.readUInt32BE(1)
        if (rest.length < length) break
        if (rest[0] !== NOTIFICATION || !isActive()) this.push(rest.subarray(0, length))
        rest = rest.subarray(length)
      }
      done()
    },
  })
}
