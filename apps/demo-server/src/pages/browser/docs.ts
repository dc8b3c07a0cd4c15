// The page of the API: Swagger UI below the header of all pages.

/** Global of Swagger UI, whose script comes after this one. */
declare const SwaggerUIBundle: (options: object) => void;

const dark = matchMedia('(prefers-color-scheme: dark)');

function followScheme(): void {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

dark.addEventListener('change', followScheme);
followScheme();
addEventListener('DOMContentLoaded', () => {
  SwaggerUIBundle({
    dom_id: '#swagger-ui',
    url: document.getElementById('content')?.dataset['document'],
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    validatorUrl: null,
    // Its usual colours have too little contrast.
    syntaxHighlight: { theme: 'obsidian' },
  });
});
