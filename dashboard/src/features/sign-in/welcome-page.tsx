import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { hasStatus } from '../../api/api-error.ts'
import { readInvitation } from '../../api/auth.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { AcceptForm } from './accept-form.tsx'
import { SignInLayout } from './sign-in-layout.tsx'

/** Target of a one-time link: invitation, password reset or first owner. */
export function Page() {
  const [{ token = '' }] = useFilters((search) => ({ token: textOf(search.token) }))
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token),
    staleTime: Infinity,
  })
  if (hasStatus(error, 404) || token === '') {
    return (
      <SignInLayout title="This link is not valid" description="It was used or has expired. Ask an owner for a new link.">
        <LinkButton to="/sign-in">Sign in</LinkButton>
      </SignInLayout>
    )
  }
  return (
    <SignInLayout
      title="Welcome to Gatehouse"
      {...(data && {
        description: data.email ? `Choose a password for ${data.email}.` : 'Create the first operator, who becomes the owner.',
      })}
    >
      {data && <AcceptForm token={token} invitation={data} />}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={220} />}
    </SignInLayout>
  )
}
