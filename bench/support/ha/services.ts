import { writeFileSync } from 'node:fs'
import { freePort } from '../free-port.ts'
import type { Debian } from './debian.ts'
import { type Member, PASSWORD } from './member.ts'
import type { Own } from './own.ts'
import { writeFromTemplate } from './templates.ts'

/** A running service and its port on 127.0.0.1. */
interface Service {
  readonly port: number
  readonly own: Own
}

export async function startEtcd(debian: Debian): Promise<Service> {
  const [port, peer] = [await freePort(), await freePort()]
  writeFromTemplate('etcd.yml', `${debian.home.outside}/etcd.yml`, {
    ETCD_NAME: 'etcd1',
    ETCD_DATA: `${debian.home.inside}/etcd`,
    ETCD_LISTEN: `127.0.0.1:${port}`,
    ETCD_PEER: `127.0.0.1:${peer}`,
    ETCD_CLUSTER: `etcd1=http://127.0.0.1:${peer}`,
  })
  return { port, own: debian.start('etcd', ['etcd', `--config-file=${debian.home.inside}/etcd.yml`]) }
}

/** `port` leads to the primary, `replicaPort` to a standby. */
export async function startHaproxy(debian: Debian, members: readonly Member[]): Promise<Service & { replicaPort: number }> {
  const [port, replicaPort] = [await freePort(), await freePort()]
  const values = members.flatMap(({ name, postgres, rest }) =>
    Object.entries({ POSTGRES: `127.0.0.1:${postgres}`, REST_HOST: '127.0.0.1', REST_PORT: rest }).map(
      ([key, value]): [string, string | number] => [`${name.toUpperCase()}_${key}`, value],
    ),
  )
  writeFromTemplate('haproxy.cfg', `${debian.home.outside}/haproxy.cfg`, {
    HAPROXY_PRIMARY: `127.0.0.1:${port}`,
    HAPROXY_REPLICA: `127.0.0.1:${replicaPort}`,
    ...Object.fromEntries(values),
  })
  return { port, replicaPort, own: debian.start('haproxy', ['haproxy', '-db', '-f', `${debian.home.inside}/haproxy.cfg`]) }
}

/** PgBouncer, which can be killed and started again on its port. */
export class Pgbouncer {
  readonly port: number
  readonly #debian: Debian
  #own: Own

  private constructor(debian: Debian, port: number) {
    this.port = port
    this.#debian = debian
    this.#own = this.#launch()
  }

  static async start(debian: Debian, haproxy: { readonly port: number; readonly replicaPort: number }): Promise<Pgbouncer> {
    const { inside, outside } = debian.home
    const port = await freePort()
    writeFileSync(`${outside}/users`, `"gatehouse" "${PASSWORD}"\n`)
    writeFromTemplate('pgbouncer.ini', `${outside}/pgbouncer.ini`, {
      HAPROXY_PRIMARY_HOST: '127.0.0.1',
      HAPROXY_PRIMARY_PORT: haproxy.port,
      HAPROXY_REPLICA_HOST: '127.0.0.1',
      HAPROXY_REPLICA_PORT: haproxy.replicaPort,
      PGBOUNCER_HOST: '127.0.0.1',
      PGBOUNCER_PORT: port,
      PGBOUNCER_USERS: `${inside}/users`,
      PGBOUNCER_LOG: `${inside}/pgbouncer-own.log`,
    })
    return new Pgbouncer(debian, port)
  }

  kill(): Promise<void> {
    return this.#own.kill()
  }

  restart(): void {
    this.#own = this.#launch()
  }

  #launch(): Own {
    return this.#debian.start('pgbouncer', ['pgbouncer', `${this.#debian.home.inside}/pgbouncer.ini`])
  }
}
