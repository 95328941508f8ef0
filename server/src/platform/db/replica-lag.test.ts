import { describe, expect, test } from 'vitest'
import { ReplicaLag } from './replica-lag.ts'

describe('ReplicaLag', () => {
  test('replica lag: is unknown when nothing was compared yet', () => {
    expect(new ReplicaLag(60_000).at(1_000)).toBe(Number.POSITIVE_INFINITY)
  })

  test('replica lag: does not grow when the primary writes nothing', () => {
    const lag = new ReplicaLag(60_000)
    for (const at of [0, 1_000, 2_000]) {
      lag.sample(at, 700)
      lag.replayed(700)
    }
    expect(lag.at(2_100)).toBe(100)
  })

  test('replica lag: is the age of the newest position that the replica has when it replays slowly', () => {
    const lag = new ReplicaLag(60_000)
    lag.sample(0, 100)
    lag.sample(1_000, 200)
    lag.sample(2_000, 300)
    lag.replayed(250)
    expect(lag.at(2_000)).toBe(1_000)
  })

  test('replica lag: grows when nothing is compared any more', () => {
    const lag = new ReplicaLag(60_000)
    lag.sample(0, 100)
    lag.replayed(100)
    expect(lag.at(9_000)).toBe(9_000)
  })

  test('replica lag: follows the new primary when its positions are lower after a failover', () => {
    const lag = new ReplicaLag(60_000)
    lag.sample(0, 900)
    lag.sample(1_000, 800)
    lag.replayed(800)
    expect(lag.at(1_500)).toBe(500)
  })

  test('replica lag: is unknown when the replica failed, or is behind everything that is remembered', () => {
    const lag = new ReplicaLag(1_000)
    lag.sample(0, 100)
    lag.replayed(100)
    lag.forget()
    expect(lag.at(10)).toBe(Number.POSITIVE_INFINITY)
    lag.sample(5_000, 200)
    lag.replayed(150)
    expect(lag.at(5_000)).toBe(Number.POSITIVE_INFINITY)
  })
})
