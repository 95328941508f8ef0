import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { hasStatus } from '../../api/api-error.ts'
import { readInvitation } from '../../api/auth.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { AcceptForm } from './accept-form.tsx'
import { Entrance } from './entrance.tsx'

/** Where a one-time link leads: an invitation, a lost password, or the first start of a server. */
export function Page() {
  const [{ token = '' }] = useFilters((search) => ({ token: textOf(search.token) }))
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token),
    staleTime: Infinity,
  })
  if (hasStatus(error, 404) || token === '') {
    return (
      <Entrance
        title="This link is not valid"
        description="It has been used, or is too old. Ask an owner for a new one: Settings, Operators."
      >
        <LinkButton to="/sign-in">Sign in</LinkButton>
      </Entrance>
    )
  }
  return (
    <Entrance
      title="Welcome to Gatehouse"
      {...(data && {
        description: data.email ? `Choose a password for ${data.email}.` : 'You are its first operator, and its owner.',
      })}
    >
      {data && <AcceptForm token={token} invitation={data} />}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={220} />}
    </Entrance>
  )
}
