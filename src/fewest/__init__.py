"""fewest"""
