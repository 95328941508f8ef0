import pg from 'pg'

/** Days over which the records are spread. */
const DAYS = 30

/**
 * Copies the last record of a Workspace `count` times into the log before now: times over 30 days, 1,000 users, a tenth denied, a tenth of high
 * risk, one in a hundred with an error. The copies are no valid chain: only lists, counts and later appends are measured.
 */
export async function fillHistory(url: string, workspace: string, count: number): Promise<void> {
  // Without the server's time limits.
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await copyRecords(client, workspace, count)
  await client.end()
}

/** As `fillHistory`, over an open connection. */
export async function copyRecords(client: Pick<pg.Client, 'query'>, workspace: string, count: number): Promise<void> {
  await client.query(
    `with template as (select * from audit_record where workspace_id = $1 order by sequence desc limit 1),
    place as (select n, now() - interval '${DAYS} days' * ($2 - n) / $2 as at from generate_series(1, $2::int) as n),
    copied as (
      insert into audit_record (id, workspace_id, application_id, sequence, created_at, endpoint, verdict, risk_level, status, user_hash,
        duration_ms, tokens, body, prev_hash, hash)
      select overlay(overlay(md5(n::text || 'copy') placing '7' from 13 for 1)
          placing lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') from 1 for 12)::uuid,
        workspace_id, application_id, template.sequence + n, at, endpoint, case when n % 10 = 1 then 'deny' else 'allow' end,
        case when n % 10 = 2 then 'high' else 'low' end, case when n % 100 = 3 then 502 else 200 end, 'user ' || n % 1000,
        duration_ms, tokens, regexp_replace(body, '"id":"(aud_[0-9a-z]{18})[0-9a-z]{8}"', '"id":"\\1' || lpad(n::text, 8, '0') || '"'),
        prev_hash, hash
      from template, place order by n
      returning sequence
    )
    update audit_head set sequence = (select max(sequence) from copied) where workspace_id = $1`,
    [workspace, count],
  )
  await client.query('vacuum analyze audit_record')
}
