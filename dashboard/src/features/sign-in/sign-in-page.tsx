import { Alert } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { textOf, useFilters } from '../../routing/location.ts'
import { PasswordForm } from './password-form.tsx'
import { redirectAfterSignIn } from './redirect-after-sign-in.ts'
import { SignInLayout } from './sign-in-layout.tsx'
import { SingleSignOn } from './single-sign-on.tsx'
import { TwoFactorForm } from './two-factor-form.tsx'

/** Sign-in with password and, if set up, two-factor code, or with single sign-on. */
export function Page() {
  const { t } = useTranslation('sign-in')
  const [{ next, error }] = useFilters((search) => ({ next: textOf(search.next), error: textOf(search.error) }))
  const [needsTwoFactor, setNeedsTwoFactor] = useState(false)
  if (needsTwoFactor) {
    return (
      <SignInLayout title={t('twoFactor.title')} description={t('twoFactor.hint')}>
        <TwoFactorForm onDone={() => redirectAfterSignIn(next)} onBack={() => setNeedsTwoFactor(false)} />
      </SignInLayout>
    )
  }
  return (
    <SignInLayout title={t('title')}>
      {error && (
        <Alert color="red" variant="light" role="alert">
          {t('singleSignOn.failed')}
        </Alert>
      )}
      <PasswordForm onDone={() => redirectAfterSignIn(next)} onTwoFactor={() => setNeedsTwoFactor(true)} />
      <SingleSignOn next={next} />
    </SignInLayout>
  )
}
