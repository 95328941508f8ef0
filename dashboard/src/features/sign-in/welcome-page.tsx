import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { readInvitation } from '../../api/auth.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { AcceptForm } from './accept-form.tsx'
import { SignInLayout } from './sign-in-layout.tsx'

/** Target of a one-time link: invitation, password reset or first owner. */
export function Page() {
  const { t } = useTranslation('sign-in')
  const [{ token = '' }] = useFilters((search) => ({ token: textOf(search.token) }))
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token),
    staleTime: Infinity,
  })
  if (hasStatus(error, 404) || token === '') {
    return (
      <SignInLayout title={t('invalid.title')} description={t('invalid.hint')}>
        <LinkButton to="/sign-in">{t('signIn')}</LinkButton>
      </SignInLayout>
    )
  }
  return (
    <SignInLayout
      title={t('welcome.title')}
      {...(data && {
        description: data.email ? t('welcome.choosePassword', { email: data.email }) : t('welcome.firstOwner'),
      })}
    >
      {data && <AcceptForm token={token} invitation={data} />}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={220} />}
    </SignInLayout>
  )
}
