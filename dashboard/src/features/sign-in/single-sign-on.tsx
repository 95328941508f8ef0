import { Button, Divider } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { signInMethods, signInWithProvider } from '../../api/auth.ts'
import { notifyError } from '../../ui/notify.ts'
import { dashboardUrlOf } from './redirect-after-sign-in.ts'

/** Button for single sign-on, if it is configured. */
export function SingleSignOn({ next }: { readonly next: string | undefined }) {
  const { t } = useTranslation('sign-in')
  const provider = useQuery({ queryKey: ['sign-in methods'], queryFn: signInMethods }).data?.oidc
  const start = useMutation({
    mutationFn: () => signInWithProvider(dashboardUrlOf(next)),
    onSuccess: ({ url }) => location.assign(url),
    onError: notifyError,
  })
  if (!provider) return null
  return (
    <>
      <Divider label={t('singleSignOn.or')} />
      <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
        {t('singleSignOn.signIn', { name: provider.name })}
      </Button>
    </>
  )
}
