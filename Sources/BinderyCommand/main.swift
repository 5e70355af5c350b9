import App

Command.main()
