import App

await Command.main()
