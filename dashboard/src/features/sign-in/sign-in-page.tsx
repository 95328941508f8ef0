import { Code, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { signInMethods } from '../../api/auth.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { FormError } from '../../ui/submit-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { redirectAfterSignIn } from './redirect-after-sign-in.ts'
import { SignInLayout } from './sign-in-layout.tsx'
import { SingleSignOn } from './single-sign-on.tsx'
import { TwoFactorForm } from './two-factor-form.tsx'
import { useFailure } from './use-failure.ts'

/** Sign-in with password and, if set up, two-factor code, or with single sign-on. */
export function Page() {
  const { t } = useTranslation('sign-in')
  const [{ next, error }] = useFilters((search) => ({ next: textOf(search.next), error: textOf(search.error) }))
  const methods = useQuery({ queryKey: ['sign-in methods'], queryFn: signInMethods }).data
  const [needsTwoFactor, setNeedsTwoFactor] = useState(false)
  const failure = useFailure(error)
  if (needsTwoFactor) {
    return (
      <SignInLayout title={t('twoFactor.title')} description={t('twoFactor.hint')}>
        <TwoFactorForm onDone={() => redirectAfterSignIn(next)} onBack={() => setNeedsTwoFactor(false)} />
      </SignInLayout>
    )
  }
  const isNew = methods?.needs_first_login === true
  return (
    <SignInLayout title={isNew ? t('firstLogin.title') : t('title')}>
      {failure && <FormError>{failure}</FormError>}
      {isNew ? (
        <FirstLogin />
      ) : (
        <PasswordForm onDone={() => redirectAfterSignIn(next)} onTwoFactor={() => setNeedsTwoFactor(true)} />
      )}
      {methods?.oidc && <SingleSignOn name={methods.oidc.name} next={next} />}
    </SignInLayout>
  )
}

/** Shown while no operator exists, so that no password works. */
function FirstLogin() {
  const { t } = useTranslation('sign-in')
  return (
    <Stack gap="xs">
      <Text size="sm">{t('firstLogin.command')}</Text>
      <Code block>gatehouse operator first-login</Code>
      <Text size="sm" c="dimmed">
        {t('firstLogin.elsewhere')}
      </Text>
    </Stack>
  )
}
