import { Button, Divider } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { signInWithProvider } from '../../api/auth.ts'
import { describeError } from '../../ui/describe-error.ts'
import { FormError } from '../../ui/submit-form.tsx'
import { dashboardUrlOf } from './redirect-after-sign-in.ts'

interface SingleSignOnProps {
  /** Name of the identity provider. */
  readonly name: string
  readonly next: string | undefined
}

/** Button for single sign-on. */
export function SingleSignOn({ name, next }: SingleSignOnProps) {
  const { t } = useTranslation('sign-in')
  const start = useMutation({
    mutationFn: () => signInWithProvider(dashboardUrlOf(next)),
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <>
      <Divider label={t('singleSignOn.or')} />
      {start.error && <FormError>{describeError(start.error).message}</FormError>}
      <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
        {t('singleSignOn.signIn', { name })}
      </Button>
    </>
  )
}
