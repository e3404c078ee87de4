/** Sets the theme that the user has chosen, before anything is drawn. */
const chosen = localStorage.getItem('tandem:web:theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
