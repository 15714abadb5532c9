/** While a dialog loads, letters are no shortcuts. */
export const LOADING_DIALOG = <div role="dialog" aria-label="Loading" aria-busy />
